import type { Checkpoint, CheckpointStorage } from '@rs/core';
import { checkpointLines, parseCheckpoint } from '../checkpoint/checkpoint-file.ts';

/** Keeps checkpoints as text, as the files would; survives environments, and fails or waits where a test wants it. */
export class TextStorage implements CheckpointStorage {
  readonly texts = new Map<number, string>();
  /** Every call, as `name id`. */
  readonly calls: string[] = [];
  /** Called before a checkpoint is stored. */
  onStore: (checkpointId: number) => void | Promise<void> = () => undefined;
  /** Called when a checkpoint is there, and before that is told. */
  onStored: (checkpointId: number) => void = () => undefined;

  async open(): Promise<void> {
    this.calls.push('open');
  }

  async storeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const { checkpointId } = checkpoint;
    this.calls.push(`store ${checkpointId}`);
    const text = [...checkpointLines(checkpoint)].join('');
    await this.onStore(checkpointId);
    this.texts.set(checkpointId, text);
    this.onStored(checkpointId);
  }

  async loadCheckpoint(checkpointId: number): Promise<Checkpoint | undefined> {
    this.calls.push(`load ${checkpointId}`);
    const text = this.texts.get(checkpointId);
    return text === undefined ? undefined : parseCheckpoint(Buffer.from(text), `text ${checkpointId}`);
  }

  async getLatestCheckpoint(): Promise<Checkpoint | undefined> {
    return (await this.listCheckpoints(1))[0];
  }

  async listCheckpoints(limit: number): Promise<Checkpoint[]> {
    const newest = this.ids().toReversed().slice(0, limit);
    const checkpoints = await Promise.all(newest.map((id) => this.loadCheckpoint(id)));
    return checkpoints.filter((one) => one !== undefined);
  }

  async deleteCheckpoint(checkpointId: number): Promise<boolean> {
    return this.texts.delete(checkpointId);
  }

  async cleanupOldCheckpoints(keep: number): Promise<number> {
    const old = this.ids().slice(0, -keep);
    for (const id of old) this.texts.delete(id);
    return old.length;
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }

  /** Oldest first. */
  ids(): number[] {
    return [...this.texts.keys()].sort((a, b) => a - b);
  }
}
