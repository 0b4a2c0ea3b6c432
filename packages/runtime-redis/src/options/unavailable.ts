/** Names that options of a stream engine have elsewhere, and what stands for them here. */
export const REPLACED: Readonly<Record<string, string>> = {
  stateKeyPrefix: "use 'prefix'; the name of the job follows it in every key",
  checkpointKeyPrefix: "use 'prefix'; the name of the job follows it in every key",
  sinkDedupKeyPrefix: "use 'prefix'; the name of the job follows it in every key",
  mqOptions: "give 'lease', 'retry', 'codecs' and 'prefix' themselves; the engine reads topics on its own",
  timerThreads: "a process has one thread; 'pipelineParallelism' limits what is under way at once",
  mdcEnabled: 'what is logged always names the job, topic and partition it is about',
  mdcSampleRate: 'what is logged always names the job, topic and partition it is about',
  restoreConsumerGroupFromCommitFrontier: 'a missing group is always made again at the position of the job',
  leaderElectionEnabled: 'there is nothing to elect: every process looks after its own partitions',
  leaderLeaseTtl: 'there is nothing to elect: every process looks after its own partitions',
  leaderRenewInterval: 'there is nothing to elect: every process looks after its own partitions',
};

/** Options that mean something only with parts that this version does not have. */
export const LATER: Readonly<Record<string, string>> = {
  checkpointInterval:
    'checkpoints for going back are not part of this version; recovery needs none, since every commit is one',
  checkpointThreads: 'checkpoints for going back are not part of this version',
  checkpointsToKeep: 'checkpoints for going back are not part of this version',
  checkpointDrainTimeout: 'checkpoints for going back are not part of this version',
  restoreFromLatestCheckpoint: 'checkpoints for going back are not part of this version',
  deferAckUntilCheckpoint: 'checkpoints for going back are not part of this version',
  ackDeferredMessagesOnCheckpoint: 'checkpoints for going back are not part of this version',
  sinkDeduplicationEnabled:
    'results carry stable ids that a sink can compare; remembering them for it is not part of this version',
  sinkDeduplicationTtl:
    'results carry stable ids that a sink can compare; remembering them for it is not part of this version',
  twoPhaseInterval: 'sinks with transactions are not part of this version',
  exchange: 'sending records between partitions is not part of this version',
};
