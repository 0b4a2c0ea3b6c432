export { highest, median } from './statistics.ts';
export type { Case, Figure, OpenCase, OpenSuite, Role, Sample, Suite, Unit, Variant } from './suite.ts';
export { measureCase, type Measured } from './measure.ts';
export { caseReport, type CaseReport, type SuiteReport } from './report.ts';
export { caseText } from './text.ts';
