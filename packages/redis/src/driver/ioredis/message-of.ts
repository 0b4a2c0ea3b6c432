/** What an error says; Node's for a name with several addresses has a code, but no message. */
export function messageOf(reason: unknown): string {
  if (typeof reason !== 'object' || reason === null) return String(reason);
  const message: unknown = Reflect.get(reason, 'message');
  return typeof message === 'string' && message !== ''
    ? message
    : String(Reflect.get(reason, 'code') ?? reason);
}
