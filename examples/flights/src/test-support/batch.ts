/**
 * The same results as the job's, computed without a stream: no code of @rs is used, so that an error there cannot hide.
 * Written for obviousness, not for speed.
 */
import type { Flight } from '../flight.ts';

export type BatchWindows =
  | { readonly kind: 'tumbling'; readonly size: number }
  | { readonly kind: 'sliding'; readonly size: number; readonly slide: number }
  | { readonly kind: 'session'; readonly gap: number };

export interface BatchRow {
  readonly origin: string;
  readonly start: number;
  readonly end: number;
  readonly flights: number;
  readonly meanDelay: number;
  readonly maxDelay: number;
}

export interface BatchReport {
  readonly records: number;
  readonly late: number;
  readonly windows: readonly BatchRow[];
}

export interface BatchAlert {
  readonly origin: string;
  readonly times: readonly number[];
  readonly delays: readonly number[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Group extends Span {
  readonly origin: string;
  readonly delays: readonly number[];
}

export function batchReport(
  flights: readonly Flight[],
  windows: BatchWindows,
  outOfOrderness: number,
): BatchReport {
  const { late, groups } =
    windows.kind === 'session'
      ? inSessions(flights, windows.gap, outOfOrderness)
      : inFixedWindows(
          flights,
          windows.size,
          windows.kind === 'sliding' ? windows.slide : windows.size,
          outOfOrderness,
        );
  const rows = groups.map(({ origin, start, end, delays }) => ({
    origin,
    start,
    end,
    flights: delays.length,
    meanDelay: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
    maxDelay: Math.max(...delays),
  }));
  const order = (a: BatchRow, b: BatchRow): number =>
    a.start - b.start || (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0) || a.end - b.end;
  return { records: flights.length, late, windows: rows.sort(order) };
}

/**
 * Three departures in a row at one airport, with longer and longer delays, the last above 60 minutes, and less than three hours
 * from the first to the last. Those that come first are taken first, and each departure once.
 *
 * @param flights in the order of their arrival
 */
export function batchAlerts(flights: readonly Flight[], outOfOrderness: number): BatchAlert[] {
  const watermarkAt = watermarks(flights, outOfOrderness);
  const inTime = flights.filter(({ scheduled }, i) => scheduled > (watermarkAt[i] ?? Number.NaN));
  const origins = [...new Set(inTime.map(({ origin }) => origin))].sort();
  return origins.flatMap((origin) => {
    const departures = inTime
      .filter((flight) => flight.origin === origin)
      .sort((a, b) => a.scheduled - b.scheduled || a.row - b.row);
    const alerts: BatchAlert[] = [];
    let at = 0;
    while (at < departures.length) {
      const three = departures.slice(at, at + 3);
      const isAlert = isRising(three);
      if (isAlert) {
        alerts.push({
          origin,
          times: three.map(({ scheduled }) => scheduled),
          delays: three.map(({ delay }) => delay),
        });
      }
      at += isAlert ? 3 : 1;
    }
    return alerts;
  });
}

function isRising([a, b, c]: readonly Flight[]): boolean {
  if (a === undefined || b === undefined || c === undefined) return false;
  return a.delay < b.delay && b.delay < c.delay && c.delay > 60 && c.scheduled - a.scheduled < 3 * 3_600_000;
}

/** The watermark at each flight, its own scheduled departure included. */
function watermarks(flights: readonly Flight[], outOfOrderness: number): number[] {
  let latest = -Infinity;
  return flights.map(({ scheduled }) => {
    latest = Math.max(latest, scheduled);
    return latest - outOfOrderness - 1;
  });
}

function isComplete({ end }: Span, watermark: number): boolean {
  return watermark >= end - 1;
}

function inFixedWindows(
  flights: readonly Flight[],
  size: number,
  slide: number,
  outOfOrderness: number,
): { late: number; groups: Group[] } {
  const watermarkAt = watermarks(flights, outOfOrderness);
  const delaysOf = new Map<string, Map<number, number[]>>();
  let late = 0;
  flights.forEach(({ origin, scheduled, delay }, i) => {
    const spans = fixedWindows(scheduled, size, slide);
    const open = spans.filter((span) => !isComplete(span, watermarkAt[i] ?? Number.NaN));
    // A flight in a gap between windows has none, and is not late.
    if (spans.length > 0 && open.length === 0) late += 1;
    for (const { start } of open) {
      const ofOrigin = delaysOf.get(origin) ?? new Map<number, number[]>();
      delaysOf.set(origin, ofOrigin.set(start, [...(ofOrigin.get(start) ?? []), delay]));
    }
  });
  const groups = [...delaysOf].flatMap(([origin, ofOrigin]) =>
    [...ofOrigin].map(([start, delays]) => ({ origin, start, end: start + size, delays })),
  );
  return { late, groups };
}

/** All windows [k · slide, k · slide + size) that hold the time. */
function fixedWindows(time: number, size: number, slide: number): Span[] {
  const spans: Span[] = [];
  for (let k = Math.floor((time - size) / slide); k * slide <= time; k++) {
    const start = k * slide;
    if (time < start + size) spans.push({ start, end: start + size });
  }
  return spans;
}

function inSessions(
  flights: readonly Flight[],
  gap: number,
  outOfOrderness: number,
): { late: number; groups: Group[] } {
  const watermarkAt = watermarks(flights, outOfOrderness);
  const done: Group[] = [];
  let open: Group[] = [];
  let late = 0;
  flights.forEach(({ origin, scheduled, delay }, i) => {
    const watermark = watermarkAt[i] ?? Number.NaN;
    done.push(...open.filter((session) => isComplete(session, watermark)));
    open = open.filter((session) => !isComplete(session, watermark));

    const own: Group = { origin, start: scheduled, end: scheduled + gap, delays: [delay] };
    // Half-open spans: sessions that only touch do not meet.
    const met = open.filter(
      (session) => session.origin === origin && session.start < own.end && own.start < session.end,
    );
    const merged: Group = {
      origin,
      start: Math.min(own.start, ...met.map(({ start }) => start)),
      end: Math.max(own.end, ...met.map(({ end }) => end)),
      delays: [...met.flatMap(({ delays }) => delays), delay],
    };
    if (isComplete(merged, watermark)) late += 1;
    else open = [...open.filter((session) => !met.includes(session)), merged];
  });
  return { late, groups: [...done, ...open] };
}
