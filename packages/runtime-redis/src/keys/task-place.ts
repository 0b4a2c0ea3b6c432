/** Where a task lives: one partition of one stage of a job, in the slot of that partition of its topic. */
export interface TaskPlace {
  /** What all keys begin with. */
  readonly prefix: string;
  readonly job: string;
  /** Id of the stage: that of its source. */
  readonly task: string;
  /** The topic that the source reads. */
  readonly topic: string;
  readonly partition: number;
  /** Slots that the partitions of the topic are spread over. */
  readonly topicShards: number;
  /** The group of the job on the topic. */
  readonly group: string;
  /** Hashes that each state is spread over. */
  readonly stateShards: number;
}
