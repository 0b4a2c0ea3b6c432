/** Loaded into the processes of the demo before their own program: they end with the demo, however it ends. */
process.once('disconnect', () => process.exit(1));
// It must not keep a program going that has nothing left to do.
process.channel?.unref();
