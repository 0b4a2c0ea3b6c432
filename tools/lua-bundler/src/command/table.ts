import {
  approximateTrim,
  limitedBy,
  limitedRange,
  limitedSortedRange,
  unlimited,
  type BoundRule,
} from './bounds.ts';
import { bySubcommand, countedKeys, keysAt, keysFrom, keysOfStreams, noKeys, type KeyRule } from './keys.ts';

/** What is known of a command. */
export interface Command {
  readonly keys: KeyRule;
  readonly bound?: BoundRule;
}

const first = keysAt(0);
const READS_ALL = 'it reads everything';

/** Commands whose only key is their first argument and whose work is bounded by their arguments. */
const PLAIN = `
  APPEND DECR DECRBY GET GETDEL GETEX GETRANGE GETSET INCR INCRBY INCRBYFLOAT PSETEX SET SETEX SETNX SETRANGE STRLEN
  BITCOUNT BITFIELD BITFIELD_RO BITPOS GETBIT SETBIT
  DUMP EXPIRE EXPIREAT EXPIRETIME PERSIST PEXPIRE PEXPIREAT PEXPIRETIME PTTL RESTORE TTL TYPE
  HDEL HEXISTS HEXPIRE HEXPIREAT HEXPIRETIME HGET HGETDEL HGETEX HINCRBY HINCRBYFLOAT HLEN HMGET HMSET HPERSIST HPEXPIRE
  HPEXPIREAT HPEXPIRETIME HPTTL HRANDFIELD HSCAN HSET HSETEX HSETNX HSTRLEN HTTL
  LINDEX LINSERT LLEN LPOP LPOS LPUSH LPUSHX LREM LSET RPOP RPUSH RPUSHX
  SADD SCARD SISMEMBER SMISMEMBER SPOP SRANDMEMBER SREM SSCAN
  ZADD ZCARD ZCOUNT ZINCRBY ZLEXCOUNT ZMSCORE ZPOPMAX ZPOPMIN ZRANDMEMBER ZRANK ZREM ZREVRANK ZSCAN ZSCORE
  XACK XACKDEL XADD XAUTOCLAIM XCLAIM XDEL XDELEX XLEN XPENDING XSETID
  GEOADD GEODIST GEOHASH GEOPOS PFADD SPUBLISH
`;

/**
 * Every command a script may use. One that is missing is an error, since nobody could tell which of its arguments are
 * keys: add it here.
 */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ...PLAIN.trim()
    .split(/\s+/)
    .map((name): [string, Command] => [name, { keys: first }]),

  ...named('DBSIZE ECHO PING PUBLISH TIME', { keys: noKeys }),
  ...named('DEL EXISTS MGET PFCOUNT PFMERGE TOUCH UNLINK', { keys: keysFrom(0) }),
  ...named('MSET MSETNX', { keys: keysFrom(0, 2) }),
  ...named('COPY LMOVE RENAME RENAMENX RPOPLPUSH SMOVE', { keys: keysAt(0, 1) }),
  ['BITOP', { keys: keysFrom(1) }],
  ['OBJECT', { keys: bySubcommand({ ENCODING: first, FREQ: first, IDLETIME: first, REFCOUNT: first }) }],
  ['MEMORY', { keys: bySubcommand({ USAGE: first }) }],

  ...named('KEYS SCAN', { keys: noKeys, bound: unlimited('it walks through the keys of all') }),
  ...named('FLUSHALL FLUSHDB', { keys: noKeys, bound: unlimited('it deletes everything') }),
  ...named('HGETALL HKEYS HVALS SMEMBERS', { keys: first, bound: unlimited(READS_ALL) }),

  ['LRANGE', { keys: first, bound: limitedRange }],
  ['LTRIM', { keys: first, bound: unlimited('it deletes all that is outside of its range at once') }],
  ['LMPOP', { keys: countedKeys(0) }],

  ...named('SDIFF SINTER SUNION', { keys: keysFrom(0), bound: unlimited(READS_ALL) }),
  ...named('SDIFFSTORE SINTERSTORE SUNIONSTORE', { keys: keysFrom(0), bound: unlimited(READS_ALL) }),
  ...named('SINTERCARD ZINTERCARD', {
    keys: countedKeys(0),
    bound: limitedBy('LIMIT', 'it counts everything'),
  }),

  ['ZRANGE', { keys: first, bound: limitedSortedRange }],
  ['ZRANGESTORE', { keys: keysAt(0, 1), bound: (args) => limitedSortedRange(args.slice(1)) }],
  ['ZREVRANGE', { keys: first, bound: limitedRange }],
  ...named('ZRANGEBYLEX ZRANGEBYSCORE ZREVRANGEBYLEX ZREVRANGEBYSCORE', {
    keys: first,
    bound: limitedBy('LIMIT', 'it reads all that is between its ends'),
  }),
  ...named('ZREMRANGEBYLEX ZREMRANGEBYSCORE', {
    keys: first,
    bound: unlimited('it deletes all that is between its ends at once'),
  }),
  ['ZREMRANGEBYRANK', { keys: first, bound: limitedRange }],
  ['ZMPOP', { keys: countedKeys(0) }],
  ...named('ZDIFF ZINTER ZUNION', { keys: countedKeys(0), bound: unlimited(READS_ALL) }),
  ...named('ZDIFFSTORE ZINTERSTORE ZUNIONSTORE', { keys: countedKeys(1, [0]), bound: unlimited(READS_ALL) }),

  ...named('GEOSEARCH', { keys: first, bound: limitedBy('COUNT', 'it reads all that is in the area') }),
  ...named('GEOSEARCHSTORE', {
    keys: keysAt(0, 1),
    bound: limitedBy('COUNT', 'it reads all that is in the area'),
  }),

  ...named('XRANGE XREVRANGE', {
    keys: first,
    bound: limitedBy('COUNT', 'it reads all that is between its ends'),
  }),
  ...named('XREAD XREADGROUP', {
    keys: keysOfStreams,
    bound: limitedBy('COUNT', 'it reads all that is new'),
  }),
  ['XTRIM', { keys: first, bound: approximateTrim }],
  [
    'XGROUP',
    {
      keys: bySubcommand({
        CREATE: first,
        CREATECONSUMER: first,
        DELCONSUMER: first,
        DESTROY: first,
        SETID: first,
      }),
    },
  ],
  ['XINFO', { keys: bySubcommand({ CONSUMERS: first, GROUPS: first, STREAM: first }) }],
]);

/** Commands that no script may use, and what to do instead. */
export const REFUSED: ReadonlyMap<string, string> = new Map<string, string>([
  ...refused(
    'EVAL EVAL_RO EVALSHA EVALSHA_RO FCALL FCALL_RO SCRIPT FUNCTION',
    'a script runs no other; use -- @include',
  ),
  ...refused(
    'BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN',
    'nothing blocks in a script; use the command without B',
  ),
  ...refused('SELECT SWAPDB MOVE MIGRATE', 'a script stays in its database'),
  ...refused('SORT SORT_RO', 'BY and GET reach other keys; sort in Lua'),
  ...refused('WAIT WAITAOF', 'nothing waits in a script; send it after the script'),
]);

function named(names: string, command: Command): [string, Command][] {
  return names.split(' ').map((name) => [name, command]);
}

function refused(names: string, advice: string): [string, string][] {
  return names.split(' ').map((name) => [name, advice]);
}
