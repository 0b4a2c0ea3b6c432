import { describe, expect, test } from '@jest/globals';
import { Watermark } from './index.ts';

describe('Watermark', () => {
  test('keeps its timestamp and cannot be changed', () => {
    const watermark = new Watermark(2999);
    expect(watermark.timestamp).toBe(2999);
    expect(Object.isFrozen(watermark)).toBe(true);
  });

  test('the maximum is +Infinity', () => {
    expect(Watermark.maxWatermark().timestamp).toBe(Infinity);
  });

  test.each([NaN, 1.5, 2 ** 53, -(2 ** 53)])('refuses %d', (timestamp) => {
    expect(() => new Watermark(timestamp)).toThrow(expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }));
  });

  test('orders by timestamp, with the sentinels at the ends', () => {
    const timestamps = [Infinity, 5, -Infinity, -3, 5];
    const sorted = timestamps.map((t) => new Watermark(t)).sort((a, b) => a.compareTo(b));
    expect(sorted.map((w) => w.timestamp)).toEqual([-Infinity, -3, 5, 5, Infinity]);
  });

  test.each([-Infinity, 0, 7, Infinity])('compares as equal to itself at %d', (timestamp) => {
    expect(new Watermark(timestamp).compareTo(new Watermark(timestamp))).toBe(0);
  });

  test('equals by value', () => {
    expect(new Watermark(5).equals(new Watermark(5))).toBe(true);
    expect(Watermark.maxWatermark().equals(new Watermark(Infinity))).toBe(true);
    expect(new Watermark(-0).equals(new Watermark(0))).toBe(true);
    expect(new Watermark(5).equals(new Watermark(6))).toBe(false);
    expect(new Watermark(5).equals(5)).toBe(false);
    expect(new Watermark(5).equals(null)).toBe(false);
  });

  test.each([
    [2999, 'Watermark(2999)'],
    [-0, 'Watermark(0)'],
    [-Infinity, 'Watermark(-inf)'],
    [Infinity, 'Watermark(+inf)'],
  ])('%d is shown as %s', (timestamp, text) => {
    expect(String(new Watermark(timestamp))).toBe(text);
  });
});
