import { RsError, type WindowAssigner } from '@rs/core';
import { SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';

/** How the stream of an airport is cut into windows; all lengths in milliseconds. */
export type Windowing =
  | { readonly kind: 'tumbling'; readonly size: number }
  /** With a `slide` above `size` there are gaps; a flight in one belongs to no window and is not late either. */
  | { readonly kind: 'sliding'; readonly size: number; readonly slide: number }
  | { readonly kind: 'session'; readonly gap: number };

/** Beyond it the results of the data set outgrow the memory of an ordinary process. */
export const MAX_WINDOWS_PER_FLIGHT = 300;

/** @throws RsError `RS_INVALID_DURATION` or `RS_INVALID_ARGUMENT` when there are no such windows */
export function assignerOf(windowing: Windowing): WindowAssigner<unknown> {
  switch (windowing.kind) {
    case 'tumbling':
      return TumblingWindow.of(windowing.size);
    case 'session':
      return SessionWindow.withGap(windowing.gap);
    case 'sliding':
      if (windowing.size > MAX_WINDOWS_PER_FLIGHT * windowing.slide) {
        throw new RsError(
          'RS_INVALID_ARGUMENT',
          `the window may be at most ${MAX_WINDOWS_PER_FLIGHT} times the slide, or there are too many windows per flight`,
        );
      }
      return SlidingWindow.of(windowing.size, windowing.slide);
  }
}
