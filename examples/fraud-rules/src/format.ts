import type { AccountEvent } from './account-event.ts';

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 event`, `2 events`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** In UTC: `2024-01-09 17:05:03`. */
export function formatTime(millis: number): string {
  return new Date(millis).toISOString().slice(0, 19).replace('T', ' ');
}

export function formatEvent(event: AccountEvent): string {
  switch (event.kind) {
    case 'login':
      return `login from ${event.country}`;
    case 'password-change':
      return 'password changed';
    case 'confirmation':
      return 'confirmed';
    case 'payment':
      return `$${(event.cents / 100).toFixed(2)}`;
  }
}
