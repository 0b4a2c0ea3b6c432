import { checkObject } from '../check-object.ts';
import { RsError } from '../errors/rs-error.ts';
import { checkName } from '../names.ts';
import { type Duration, positiveDurationToMillis } from '../time/duration.ts';
import { checkCodec, type Codec } from './codec.ts';

/** Options common to all states. */
export interface StateOptions<E> {
  /**
   * How what is stored is written: the value, an element of a collection, an accumulator. Default: JSON with tagged
   * types, see `jsonCodec`.
   */
  readonly codec?: Codec<E>;
  /** Version of the stored form, an integer ≥ 1. Default 1. */
  readonly schemaVersion?: number;
  /** Turns a value stored under an older `schemaVersion` into the current form, when it is read. */
  readonly migrate?: (old: unknown, fromVersion: number) => E;
  /**
   * Time to live of a key's entry, counted from its last write; in a large map, that of each element. Default: it lives
   * until it is cleared. An expired entry is never returned.
   */
  readonly ttl?: Duration;
}

/** What all descriptors say. */
export interface DescriptorBase<E> {
  readonly name: string;
  readonly codec: Codec<E> | undefined;
  readonly schemaVersion: number;
  readonly migrate: ((old: unknown, fromVersion: number) => E) | undefined;
  /** Milliseconds, or `undefined` for no limit. */
  readonly ttl: number | undefined;
}

/** Checks a state's name and options. */
export function descriptorBase<E>(name: string, options: StateOptions<E>): DescriptorBase<E> {
  checkName(name, 'state name');
  checkObject(options, `state '${name}': options`);
  const { codec, schemaVersion = 1, migrate, ttl } = options;
  if (!Number.isSafeInteger(schemaVersion) || schemaVersion < 1) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `state '${name}': schemaVersion must be an integer of at least 1, got ${String(schemaVersion)}`,
      { details: { state: name, received: schemaVersion } },
    );
  }
  checkCodec(codec, `state '${name}': codec`);
  if (migrate !== undefined && typeof migrate !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `state '${name}': migrate must be a function that makes the current form of an older one`,
      { details: { state: name, received: migrate } },
    );
  }
  return {
    name,
    codec,
    schemaVersion,
    migrate,
    ttl: ttl === undefined ? undefined : positiveDurationToMillis(ttl, `ttl of state '${name}'`),
  };
}
