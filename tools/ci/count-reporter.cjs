const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * A Jest reporter that leaves the counts of a run in `test-results/counts.json` of the project. The file is an output of
 * the Nx target, so a run taken from the cache has it too.
 */
module.exports = class CountReporter {
  constructor(globalConfig) {
    this.folder = join(globalConfig.rootDir, 'test-results');
  }

  onRunComplete(_, results) {
    // A file that does not even load has no failed test, but it is a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(
      join(this.folder, 'counts.json'),
      JSON.stringify({ passed: results.numPassedTests, failed }) + '\n',
    );
  }
};
