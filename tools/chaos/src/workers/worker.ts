/** Something that runs until it is told to stop, and then tells its journal how that went. */
export interface Worker {
  stop(): Promise<void>;
}
