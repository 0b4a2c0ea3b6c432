import { ownValue } from '@rs/core';
import type { SchemaMismatch } from '../options/settings.ts';
import type { Manifest, ManifestOperator, ManifestSource, ManifestState } from './manifest.ts';

export interface ComparisonOptions {
  /** What reading a value of another version does. */
  readonly schemaMismatch: SchemaMismatch;
  /** States that can make a value of an older version one of theirs, as `operator:state`. */
  readonly migrating: ReadonlySet<string>;
}

/**
 * What stands in the way of going on with stored state: one sentence each, in the order of the ids. Nothing when the new definition can
 * read all that the old one has written, which also may have more operators and fewer states.
 */
export function compareManifests(
  old: Manifest,
  now: Manifest,
  options: ComparisonOptions,
): readonly string[] {
  return [
    ...(old.stateShards === now.stateShards
      ? []
      : [
          `keyedStateShardCount is ${now.stateShards}, but the stored state lies in ${old.stateShards} shards`,
        ]),
    ...Object.entries(old.sources).flatMap(([id, source]) =>
      compareSources(id, source, ownValue(now.sources, id)),
    ),
    ...Object.entries(old.operators).flatMap(([id, operator]) =>
      compareOperators(id, operator, ownValue(now.operators, id), options),
    ),
  ];
}

function compareSources(id: string, old: ManifestSource, now: ManifestSource | undefined): readonly string[] {
  const name = `source '${id}'`;
  if (now === undefined) {
    return [
      `${name} is gone, which read topic '${old.topic}' as group '${old.group}': positions and state of its partitions are kept under its id`,
    ];
  }
  const differences: string[] = [];
  const say = (text: string): void => void differences.push(`${name} ${text}`);
  if (old.topic !== now.topic)
    say(`reads topic '${now.topic}', but its positions are those of topic '${old.topic}'`);
  if (old.group !== now.group) say(`reads as group '${now.group}', but has read as group '${old.group}'`);
  if (old.topic === now.topic && old.partitions !== now.partitions) {
    if (now.partitions < old.partitions)
      say(`has ${now.partitions} partitions, but the topic had ${old.partitions}: it was made anew`);
    else if (old.keyed || now.keyed)
      say(
        `has ${now.partitions} partitions, but state was kept with ${old.partitions}: most keys are in another partition now`,
      );
  }
  if (old.bounded !== now.bounded) {
    say(
      now.bounded
        ? 'ends now, but has been read without an end'
        : 'has no end any more, but one was fixed when the job began: what comes after it was never waited for',
    );
  }
  return differences;
}

function compareOperators(
  id: string,
  old: ManifestOperator,
  now: ManifestOperator | undefined,
  options: ComparisonOptions,
): readonly string[] {
  const name = `${old.kind} '${id}'`;
  if (now === undefined) return [`${name} is gone, and nobody would read what is stored under its id`];
  if (old.kind !== now.kind)
    return [`'${id}' is a ${now.kind}, but what is stored under its id is that of a ${old.kind}`];
  return Object.entries(old.states).flatMap(([state, stored]) => {
    const declared = ownValue(now.states, state);
    if (declared === undefined) return [];
    return compareStates(`state '${state}' of ${name}`, stored, declared, {
      ...options,
      migrates: options.migrating.has(`${id}:${state}`),
    });
  });
}

function compareStates(
  name: string,
  old: ManifestState,
  now: ManifestState,
  { schemaMismatch, migrates }: ComparisonOptions & { readonly migrates: boolean },
): readonly string[] {
  if (old.kind !== now.kind) return [`${name} is a ${now.kind} state, but was a ${old.kind} state`];
  if (old.codec !== now.codec)
    return [`${name} is written by ${codec(now)}, but was written by ${codec(old)}`];
  if (old.schemaVersion === now.schemaVersion || schemaMismatch !== 'fail') return [];
  if (now.schemaVersion < old.schemaVersion)
    return [
      `${name} has schemaVersion ${now.schemaVersion}, but values of version ${old.schemaVersion} are stored`,
    ];
  return migrates
    ? []
    : [
        `${name} has schemaVersion ${now.schemaVersion} and no migrate, but values of version ${old.schemaVersion} are stored`,
      ];
}

function codec({ codec: name }: ManifestState): string {
  return name === undefined ? 'the default codec' : `the codec '${name}'`;
}
