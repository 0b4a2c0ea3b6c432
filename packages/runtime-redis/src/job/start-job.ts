import { ownValue, RsError } from '@rs/core';
import { abortable, ServerCheck, TopicStore } from '@rs/mq';
import { createRedisClient, type RedisClient, type RedisLike, TopicKeys } from '@rs/redis';
import { type LogicalGraph, planTopology } from '@rs/runtime';
import { checkTopology, checkUids } from '../environment/check-topology.ts';
import { topicOf } from '../environment/topic-of.ts';
import { JobKeys } from '../keys/job-keys.ts';
import { compareManifests } from '../manifest/compare-manifests.ts';
import { type Manifest, manifestOf, migrating, storedManifest } from '../manifest/manifest.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import { JobMeeting, type StoredManifest } from '../ownership/job-meeting.ts';
import { claimGroups } from './claim-groups.ts';
import { GrownTopics, grownText } from './grown-topics.ts';
import type { MakeJobEngine } from './job-engine.ts';
import { type KnownTopics, readTopics } from './known-topics.ts';
import { lastIdOf } from '../store/last-id.ts';
import { RunningJob } from './running-job.ts';
import type { StagePlan } from '../ownership/stage-tasks.ts';
import { type Ends, endsOf, stagePlans } from './stage-plans.ts';
import { within } from './within.ts';

export interface StartOptions {
  readonly redis: RedisLike;
  readonly settings: RuntimeSettings;
  readonly graph: LogicalGraph;
  readonly makeEngine: MakeJobEngine;
  readonly signal: AbortSignal | undefined;
}

/**
 * Starts this process's part of a job. Nothing is left behind when it fails.
 *
 * @throws RsError as `RedisStreamExecutionEnvironment.executeAsync`; the reason of the signal
 */
export async function startJob(options: StartOptions): Promise<RunningJob> {
  const { redis, settings, signal } = options;
  const { logger, random, timers } = settings;
  const client = createRedisClient(redis, { logger, random });
  const starting = new Start(client, options);
  const started = starting.run();
  try {
    return await abortable(started, signal);
  } catch (error) {
    // When the signal was first, what it began is still under way, and may even succeed.
    const clean = started.then(
      (job) => job.cancel(),
      () => starting.undo(),
    );
    await within(timers, TAKE_BACK, clean);
    await client.close();
    throw error;
  }
}

/** Milliseconds that a start which has failed may take to leave nothing behind. What it was acquiring ends by itself. */
const TAKE_BACK = 500;
/** Heartbeats between two looks whether topics have grown. */
const LOOK_EVERY = 5;
/** How often members are met that have changed the manifest right before. */
const JOINS = 5;

class Start {
  readonly #client: RedisClient;
  readonly #options: StartOptions;
  #engine: ReturnType<MakeJobEngine> | undefined;
  #leave: (() => Promise<void>) | undefined;

  constructor(client: RedisClient, options: StartOptions) {
    this.#client = client;
    this.#options = options;
  }

  async run(): Promise<RunningJob> {
    const { settings, graph, makeEngine } = this.#options;
    const { prefix, jobName, stateShards, logger, allowEviction } = settings;
    const client = this.#client;
    const specs = graph.sources.map(topicOf);
    const check = new ServerCheck({ client, logger, allowEviction });
    const store = new TopicStore({ client, prefix, ready: () => check.passed() });
    const topics = await readTopics(
      store,
      specs.map(({ topic }) => topic),
    );
    const topology = planTopology(graph, (source) => topics.of(topicOf(source).topic).partitions);
    checkTopology(topology);
    checkUids(graph, settings.requireUids, logger);
    const engine = (this.#engine = makeEngine({ client, settings, topology }));
    await engine.check();
    const proposed = await endsOf(topology, topics, this.#lastId(topics));
    await claimGroups(client, specs, { prefix, job: jobName });

    const member = `${settings.instance}-${settings.ids()}`;
    const keys = new JobKeys({ prefix, job: jobName });
    const meeting = new JobMeeting({ client, keys, member, ttl: settings.lease.stored });
    const manifest = manifestOf(topology, stateShards);
    const ends = await this.#join(meeting, manifest, proposed);
    const own = storedManifest(manifest);
    this.#leave = () => meeting.leave(own.hash, []);
    const plans = stagePlans(topology, settings, topics, ends);
    const job = new RunningJob({
      settings,
      client,
      engine,
      topology,
      plans,
      meeting,
      manifest: own,
      ends: JSON.stringify(ends),
      member,
      grown: this.#grownTopics(store, plans, manifest),
    });
    await job.begin();
    return job;
  }

  /** What comes into new partitions is behind the end of a bounded source. */
  #grownTopics(store: TopicStore, plans: readonly StagePlan[], { sources }: Manifest): GrownTopics {
    const { timers, heartbeat, logger, jobName: job } = this.#options.settings;
    return new GrownTopics({
      topics: plans.flatMap(({ task, topic, partitions }) => {
        const source = ownValue(sources, task);
        return source === undefined || source.bounded ? [] : [{ topic, partitions, keyed: source.keyed }];
      }),
      partitionsOf: async (topic) => (await store.read(topic))?.partitions,
      timers,
      every: heartbeat * LOOK_EVERY,
      onGrown: (grown) => logger.warn({ job, ...grown }, grownText(grown)),
      onTrouble: (error) =>
        logger.warn({ job, error }, 'the topics of the job could not be looked at; trying again'),
    });
  }

  /** After a failure: says good-bye where it had introduced itself. Never rejected. */
  async undo(): Promise<void> {
    await Promise.all([this.#leave?.().catch(() => undefined), this.#engine?.close()]);
  }

  /** Becomes a member of the job, and gives where bounded sources end. */
  async #join(meeting: JobMeeting, manifest: Manifest, proposed: Ends): Promise<Ends> {
    const own = storedManifest(manifest);
    const { jobName } = this.#options.settings;
    for (let attempt = 1; attempt <= JOINS; attempt++) {
      const stored = await meeting.manifest();
      if (stored !== undefined && stored.hash !== own.hash) this.#compare(stored, manifest);
      // What was fixed stays: a bounded job that is started again ends where it did.
      const fixed = stored === undefined ? {} : (JSON.parse(stored.ends) as Ends);
      const ends = JSON.stringify({ ...proposed, ...fixed });
      const reply = await meeting.join(own, stored?.hash ?? '', ends);
      if (reply.type === 'joined') return JSON.parse(reply.ends) as Ends;
      if (reply.type === 'live') throw liveMembers(jobName, reply.members);
    }
    throw new RsError(
      'RS_MANIFEST_MISMATCH',
      `job '${jobName}' is started with several definitions at the same time; start it with one of them`,
      { details: { job: jobName, reason: 'changing' } },
    );
  }

  #compare(stored: StoredManifest, manifest: Manifest): void {
    const { jobName, schemaMismatch } = this.#options.settings;
    const old = parseManifest(stored, jobName);
    const differences = compareManifests(old, manifest, {
      schemaMismatch,
      migrating: migrating(this.#options.graph),
    });
    if (differences.length === 0) return;
    throw new RsError(
      'RS_MANIFEST_MISMATCH',
      `job '${jobName}' does not fit what is stored of it:\n${differences.map((each) => `- ${each}`).join('\n')}\n` +
        (hasGrown(old, manifest)
          ? 'A topic never gets fewer partitions, so start it as another job, with another jobName and groups of its own: it reads the topic ' +
            'from its beginning'
          : 'Bring that back, or start it as another job, with another jobName and groups of its own'),
      { details: { job: jobName, reason: 'differences', differences } },
    );
  }

  #lastId(topics: KnownTopics): (topic: string, partition: number) => Promise<string> {
    const { prefix } = this.#options.settings;
    return (topic, partition) => {
      const keys = new TopicKeys({ topic, shards: topics.of(topic).shards, prefix });
      return lastIdOf(this.#client, keys.partition(partition).log);
    };
  }
}

/** Whether a source has more partitions than its state was kept with. */
function hasGrown(old: Manifest, now: Manifest): boolean {
  return Object.entries(old.sources).some(([id, { topic, partitions, keyed }]) => {
    const source = ownValue(now.sources, id);
    return source?.topic === topic && source.partitions > partitions && (keyed || source.keyed);
  });
}

function parseManifest({ text }: StoredManifest, job: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (Number(manifest.version) === 1) return manifest;
  } catch {
    // Said below.
  }
  throw new RsError(
    'RS_MANIFEST_MISMATCH',
    `the manifest of job '${job}' was written by another version of @rs/runtime-redis and cannot be read; start the job with that version`,
    { details: { job, reason: 'version' } },
  );
}

function liveMembers(job: string, members: readonly string[]): RsError {
  return new RsError(
    'RS_MANIFEST_MISMATCH',
    `job '${job}' has another definition than the processes run that are there now (${members.join(', ')}): stop them first. One that ` +
      'has crashed counts as there until its lease ends',
    { details: { job, reason: 'members', members } },
  );
}
