import type { Receiver } from '../operator/receiver.ts';

/** Keeps everything that an operator sends. */
export class Recorder implements Receiver<unknown> {
  /** Values with their timestamps. */
  readonly records: [value: unknown, timestamp: number][] = [];
  /** All items in their order: `value@timestamp`, `w10`, `idle`, `active`, `end`. */
  readonly trace: string[] = [];
  readonly keys: unknown[] = [];

  get values(): unknown[] {
    return this.records.map(([value]) => value);
  }

  record(value: unknown, timestamp: number, key?: unknown): void {
    this.records.push([value, timestamp]);
    this.keys.push(key);
    this.trace.push(`${String(value)}@${timestamp}`);
  }

  watermark(timestamp: number): void {
    this.trace.push(`w${timestamp}`);
  }

  status(idle: boolean): void {
    this.trace.push(idle ? 'idle' : 'active');
  }

  end(): void {
    this.trace.push('end');
  }
}
