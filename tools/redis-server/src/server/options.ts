import { type Directive } from './config.ts';

export interface AclUser {
  readonly user: string;
  readonly password: string;
  /** As `ACL SETUSER` takes them, without the password: `['~orders:*', '+@read']`. */
  readonly rules: readonly string[];
}

/** What can be said about any server that holds data. */
export interface DataOptions {
  /**
   * `aof` writes an append-only file, which `restart` reads again. Default `none`: what a server held is gone with its
   * process.
   */
  readonly persistence?: 'none' | 'aof';
  /** When the append-only file is flushed to disk. Default `everysec`, as the server's own. */
  readonly appendfsync?: 'always' | 'everysec' | 'no';
  /** Users besides `default`. */
  readonly acl?: readonly AclUser[];
  /** The password of the user `default`. Default: it needs none. */
  readonly requirepass?: string;
  /**
   * Further lines of `redis.conf`: directive → arguments, written as they are there. Addresses, ports and directories
   * are the tool's to choose.
   */
  readonly config?: Readonly<Record<string, string>>;
}

export interface RedisOptions extends DataOptions {
  /** Takes TLS connections only. The certificate is in `tls.ca` of the server. Default false. */
  readonly tls?: boolean;
  /**
   * Starts a server even where `REDIS_URL` names one: for tests that kill, pause or restart it. Any other option says
   * so too. Default false.
   */
  readonly own?: boolean;
}

/** What this tool decides, so that servers find each other and nothing is left behind. */
const RESERVED = new Set([
  'bind',
  'port',
  'tls-port',
  'dir',
  'daemonize',
  'logfile',
  'pidfile',
  'unixsocket',
  'cluster-port',
]);

/** Directives for any kind of server. */
export function commonDirectives(bind: string): Directive[] {
  return [
    ['bind', bind],
    ['protected-mode', 'no'],
    ['daemonize', 'no'],
    ['loglevel', 'notice'],
  ];
}

/** Directives for a server that holds data: it keeps what it is told to and nothing else, and ends at once. */
export function dataDirectives(bind: string, options: DataOptions): Directive[] {
  const { persistence = 'none', appendfsync = 'everysec', requirepass, acl = [] } = options;
  return [
    ...commonDirectives(bind),
    ['save', ''],
    // A replica that lags must not hold up the end of a test.
    ['shutdown-timeout', '0'],
    // A new replica is synchronized at once, without waiting for others to come.
    ['repl-diskless-sync-delay', '0'],
    ['appendonly', persistence === 'aof' ? 'yes' : 'no'],
    ['appendfsync', appendfsync],
    ...(requirepass === undefined
      ? []
      : ([
          ['requirepass', requirepass],
          ['masterauth', requirepass],
        ] as const)),
    ...acl.map(({ user, password, rules }) => ['user', user, 'on', `>${password}`, ...rules] as const),
  ];
}

/** @throws Error for a directive that is the tool's own, and for a line break */
export function extraLines(config: DataOptions['config'] = {}): string {
  return Object.entries(config)
    .map(([name, value]) => {
      if (RESERVED.has(name)) {
        throw new Error(
          `config: "${name}" is chosen by the tool, since servers get free ports and directories of their own`,
        );
      }
      if (/[\r\n]/.test(name + value)) throw new Error(`config: "${name}" holds a line break`);
      return `${name} ${value === '' ? '""' : value}\n`;
    })
    .join('');
}
