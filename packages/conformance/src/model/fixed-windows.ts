import type { CountModel, WindowCount } from './counts.ts';

/** Windows of `size` that start at the multiples of `slide`. Every start that a window of the time can have is tried. */
export class FixedWindowsModel implements CountModel {
  readonly #size: number;
  readonly #slide: number;
  readonly #windows = new Map<string, WindowCount>();

  constructor(size: number, slide: number) {
    this.#size = size;
    this.#slide = slide;
  }

  take(key: string, time: number, watermark: number): boolean {
    const starts = Array.from({ length: this.#size }, (_, i) => time - i).filter(
      (start) => start % this.#slide === 0,
    );
    const open = starts.filter((start) => start + this.#size - 1 > watermark);
    for (const start of open) {
      const name = `${key} ${start}`;
      const window = this.#windows.get(name) ?? { key, start, end: start + this.#size, count: 0 };
      window.count++;
      this.#windows.set(name, window);
    }
    return starts.length > 0 && open.length === 0;
  }

  finish(): readonly WindowCount[] {
    return [...this.#windows.values()];
  }
}
