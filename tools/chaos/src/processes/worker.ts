/** Something that runs until it is told to stop, and then tells its journal how that went. */
export interface Worker {
  stop(): Promise<void>;
  /** Is given whatever else the parent asks of it. */
  told?(request: unknown): void;
}
