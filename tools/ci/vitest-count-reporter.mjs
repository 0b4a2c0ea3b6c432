import { writeCounts } from './write-counts.cjs';

/** A Vitest reporter that leaves the counts of a run where CI sums them up. */
export default class VitestCountReporter {
  onInit(vitest) {
    this.project = vitest.config.root;
  }

  onTestRunEnd(modules, unhandledErrors) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const failed = states.filter((state) => state === 'failed').length;
    // A file that does not load, or a hook that fails, has no failed test, but it is a failure; so is an error that nobody caught.
    const withoutTests = modules.filter(
      (module) =>
        module.state() === 'failed' &&
        [...module.children.allTests()].every((test) => test.result().state !== 'failed'),
    ).length;
    writeCounts(this.project, 'counts.vitest.json', {
      passed: states.filter((state) => state === 'passed').length,
      failed: failed + withoutTests + unhandledErrors.length,
    });
  }
}
