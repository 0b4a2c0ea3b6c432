import type { AccountEvent } from '../account-event.ts';

const MINUTE = 60_000;

/**
 * Events written as text, of one account: `login US@0`, `login+ NG@5` (a new country), `change@6`, `confirm@7`, `9.99@8.5`; what
 * stands behind the `@` are minutes. Ids count from `1`.
 */
export function written(text: string, account = 'ada'): AccountEvent[] {
  return text.split(', ').map((entry, i) => {
    const [what = '', minutes] = entry.split('@');
    const base = { id: String(i + 1), account, at: Number(minutes) * MINUTE };
    const [kind = '', country = ''] = what.split(' ');
    if (kind.startsWith('login')) return { ...base, kind: 'login', country, newCountry: kind === 'login+' };
    if (kind === 'change') return { ...base, kind: 'password-change' };
    if (kind === 'confirm') return { ...base, kind: 'confirmation' };
    return { ...base, kind: 'payment', cents: Math.round(Number(kind) * 100) };
  });
}
