/** A timer as it is stored: its key and namespace as texts. */
export interface StoredTimer {
  readonly time: number;
  readonly key: string;
  readonly namespace: string;
}
