import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const WORKSPACE = join(__dirname, '../../..');
const TIMEOUT_MS = 30_000;

interface Ended {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that uses the package until it ends by itself; a process that stays is killed and has no code. */
function program(body: string): Promise<Ended> {
  const code = `
    import { PassThrough } from 'node:stream';
    import { defineJob } from '@rs/core';
    import { StreamExecutionEnvironment } from '@rs/runtime-memory';
    import { WatermarkStrategy } from '@rs/watermark';
    const nothing = () => undefined;
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ processingTime: 'clock', closeTimeout: '50ms' });
    ${body}`;
  const args = ['--conditions=@rs/source', '--import', 'tsx', '--input-type=module', '--eval', code];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      {
        cwd: WORKSPACE,
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        env: { ...process.env, FORCE_COLOR: '0' },
      },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

describe('the process ends by itself', () => {
  test(
    'after runs that finished, failed and were cancelled in every state',
    async () => {
      const ended = await program(`
        const statuses = [];
        async function run(define, abortAfter) {
          const abort = new AbortController();
          if (abortAfter !== undefined) setTimeout(() => abort.abort(), abortAfter);
          try {
            statuses.push((await env.executeAsync(defineJob(define), abort)).status);
          } catch (error) {
            statuses.push(error.code);
          }
        }
        const never = () => new Promise(nothing);
        const hour = { processElement: (_k, _v, ctx) => ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 3_600_000), onProcessingTime: () => undefined };
        const idle = WatermarkStrategy.forMonotonousTimestamps().withIdleness('1h');

        await run((e) => e.fromElements(1).map(async (v) => v).addSink(nothing));
        await run((e) => e.fromElements(1).addSink(() => { throw new Error('full'); }));
        await run((e) => e.addSource({ run: never }).addSink(nothing), 20);
        await run((e) => e.addSource({ open: never, run: nothing }).addSink(nothing), 20);
        await run((e) => e.fromElements(1).map(never).addSink(nothing), 20);
        await run((e) => e.fromAsyncIterable(new PassThrough({ objectMode: true })).addSink(nothing), 20);
        await run((e) => e.addSource({ run: (ctx) => { ctx.collect(1); return never(); } })
          .assignTimestampsAndWatermarks(idle).keyBy((v) => v).process(hour).addSink(nothing), 20);
        await run((e) => e.addSource({ async run(ctx) { for (;;) await ctx.collect(1); } }).addSink(nothing), 20);
        await run((e) => e.fromElements(1).addSink({ invoke: nothing, close: never }));
        console.log(statuses.join(' '));
      `);
      expect(ended).toMatchObject({
        code: 0,
        stdout:
          'finished RS_SINK_FAILED cancelled cancelled cancelled cancelled cancelled cancelled finished\n',
        stderr: 'WARN sink did not close in time\n',
      });
    },
    TIMEOUT_MS,
  );

  test(
    'without an unhandled rejection, whatever fails late or is called by events',
    async () => {
      const ended = await program(`
        const later = (message) => new Promise((_resolve, reject) => setTimeout(() => reject(new Error(message)), 20));
        const fails = async (running) => running.then(() => console.log('no error'), (error) => console.log(error.code));
        const job = (define) => env.executeAsync(defineJob(define));

        // Two promises of one record are rejected, one after the run is over.
        await fails(job((e) => {
          const numbers = e.fromElements(1);
          numbers.map(() => Promise.reject(new Error('now'))).addSink(nothing);
          numbers.map(() => later('later')).addSink(nothing);
        }));
        // A source that events call goes on after the pipeline failed, and its own promise is rejected later.
        let timer;
        await fails(job((e) => e.addSource({
          run: (ctx) => {
            timer = setInterval(() => ctx.collect(1), 1);
            return later('source');
          },
        }).addSink(() => { throw new Error('full'); })));
        // An eager run refuses promises that are rejected later.
        for (const attach of [
          () => env.fromElements(1).map(() => later('map')).addSink(nothing),
          () => env.fromElements(1).addSink(() => later('sink')),
          () => env.addSource({ run: () => later('source') }).addSink(nothing),
          () => env.addSource({ open: () => later('open'), run: nothing }).addSink(nothing),
          () => env.fromElements(1).keyBy(() => later('key')).sum().addSink(nothing),
          () => env.fromElements(1, 2).keyBy((v) => v).reduce(() => later('reduce')).addSink(nothing),
        ]) {
          try {
            attach();
            console.log('no error');
          } catch (error) {
            console.log(error.code);
          }
        }
        setTimeout(() => clearInterval(timer), 50);
      `);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(ended.stdout.split('\n')).toEqual([
        'RS_USER_FUNCTION_FAILED',
        'RS_SINK_FAILED',
        'RS_ASYNC_IN_EAGER_RUN',
        'RS_ASYNC_IN_EAGER_RUN',
        'RS_ASYNC_IN_EAGER_RUN',
        'RS_ASYNC_IN_EAGER_RUN',
        'RS_INVALID_KEY',
        'no error',
        '',
      ]);
    },
    TIMEOUT_MS,
  );
});
