export { NEVER_REACHES, PUBLISHED, depConstraints, reachable } from './boundaries.ts';
export type { DepConstraint, Layer, PublishedPackage } from './boundaries.ts';
export { rules } from './rules.ts';
