import type { AlignedWindows } from '@rs/core';
import { floorMod } from '../floor-mod.ts';
import { TimeWindow } from '../time-window.ts';
import { timestampOutOfRange } from './limits.ts';

/** The windows `[offset + k · slide, offset + k · slide + size)` for all integers k. Stateless. */
export class AlignedGrid implements AlignedWindows {
  readonly size: number;
  readonly slide: number;
  readonly #offset: number;
  /** Times nearer to 0 than this have windows whose bounds, and those of their neighbours, are exact. */
  readonly #limit: number;
  readonly #assigner: string;

  /** The caller has checked the numbers. `assigner` names the grid in messages. */
  constructor(size: number, slide: number, offset: number, assigner: string) {
    this.size = size;
    this.slide = slide;
    this.#offset = offset;
    this.#limit = Number.MAX_SAFE_INTEGER - size - 2 * slide;
    this.#assigner = assigner;
  }

  /**
   * The newest start that is not after `timestamp`; where `slide > size`, its window may end before `timestamp`.
   *
   * @throws RsError `RS_INVALID_TIMESTAMP` for `NaN` and for times so far from 0 that subtracting a slide would round
   *   (the loop over the windows would not end there)
   */
  lastStart(timestamp: number): number {
    if (!(timestamp < this.#limit && timestamp > -this.#limit)) {
      throw timestampOutOfRange(timestamp, this.#assigner);
    }
    // Adding 0 turns -0 into 0.
    return timestamp - floorMod(timestamp - this.#offset, this.slide) + 0;
  }
}

/** The windows of a grid that contain `timestamp`, newest start first; none where `slide > size` leaves a gap. */
export function windowsOnGrid(grid: AlignedWindows, timestamp: number): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (let start = grid.lastStart(timestamp); start > timestamp - grid.size; start -= grid.slide) {
    windows.push(new TimeWindow(start, start + grid.size));
  }
  return windows;
}
