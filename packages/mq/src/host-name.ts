import { hostname } from 'node:os';

/** The host's name as the name of a consumer: without what names cannot contain. */
export function hostName(): string {
  return (
    hostname()
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 64) || 'consumer'
  );
}
