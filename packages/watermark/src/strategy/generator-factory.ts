import { RsError, type WatermarkGenerator } from '@rs/core';

/**
 * A factory whose results are checked: a generator remembers the records of one partition, so handing out the same one
 * twice would let two partitions (or two runs) move each other's watermark.
 */
export function checkedGeneratorFactory<T>(
  factory: () => WatermarkGenerator<T>,
): () => WatermarkGenerator<T> {
  if (typeof factory !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `WatermarkStrategy.forGenerator needs a function that returns a new generator, such as () => new MyGenerator(), got ${shown(factory)}`,
    );
  }
  const handedOut = new WeakSet<WatermarkGenerator<T>>();
  return () => {
    const generator = factory();
    if (!isGenerator(generator)) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `WatermarkStrategy.forGenerator: the factory must return an object with onEvent and onPeriodicEmit, got ${shown(generator)}`,
      );
    }
    if (handedOut.has(generator)) {
      throw new RsError(
        'RS_GENERATOR_REUSED',
        'WatermarkStrategy.forGenerator: the factory returned the same generator twice; it serves one partition of one run, so create a new one in each call',
      );
    }
    handedOut.add(generator);
    return generator;
  };
}

function isGenerator(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'onEvent' in value &&
    typeof value.onEvent === 'function' &&
    'onPeriodicEmit' in value &&
    typeof value.onPeriodicEmit === 'function'
  );
}

function shown(value: unknown): string {
  return value === null ? 'null' : typeof value === 'object' ? 'an object' : typeof value;
}
