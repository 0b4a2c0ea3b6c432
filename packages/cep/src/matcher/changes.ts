import type { Run, StoredEvent } from './run.ts';

/**
 * What has changed in a matcher's state since the last time somebody asked, for those who keep the state elsewhere and
 * write only that. What has come and gone in between does not show.
 */
export class StateChanges {
  readonly storedEvents = new Map<number, StoredEvent>();
  readonly removedEvents = new Set<number>();
  readonly changedRuns = new Map<number, Run>();
  readonly removedRuns = new Set<number>();

  get isEmpty(): boolean {
    return (
      this.storedEvents.size + this.removedEvents.size + this.changedRuns.size + this.removedRuns.size === 0
    );
  }

  eventStored(event: StoredEvent): void {
    this.storedEvents.set(event.seq, event);
  }

  eventRemoved(event: StoredEvent): void {
    if (!this.storedEvents.delete(event.seq)) this.removedEvents.add(event.seq);
  }

  runChanged(run: Run): void {
    this.changedRuns.set(run.id, run);
  }

  /** @param isNew whether it came after the last collection */
  runRemoved(run: Run, isNew: boolean): void {
    this.changedRuns.delete(run.id);
    if (!isNew) this.removedRuns.add(run.id);
  }

  clear(): void {
    this.storedEvents.clear();
    this.removedEvents.clear();
    this.changedRuns.clear();
    this.removedRuns.clear();
  }
}
