import { Pattern, type PatternLike } from '@rs/cep';
import type { Step } from './input.ts';

export const abc: PatternLike<Step, Record<Step['type'], Step>> = Pattern.of<Step>()
  .begin('a', (step) => step.type === 'a')
  .next('b', (step) => step.type === 'b')
  .next('c', (step) => step.type === 'c');
