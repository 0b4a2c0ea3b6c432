import { expect, test } from '@jest/globals';
import { abortable } from './abortable.ts';

test('is what the work comes to, while the signal is not aborted', async () => {
  const { signal } = new AbortController();
  await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1);
  await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  await expect(abortable(Promise.resolve(2), undefined)).resolves.toBe(2);
});

test('ends with the reason of the signal, whatever becomes of the work', async () => {
  const controller = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const waiting = abortable(work, controller.signal);
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  fail(new Error('later')); // and nobody is left who would not handle it
  await expect(abortable(new Promise(() => undefined), controller.signal)).rejects.toBe('enough');
});
