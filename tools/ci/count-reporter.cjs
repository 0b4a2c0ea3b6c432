const { writeCounts } = require('./write-counts.cjs');

/** A Jest reporter that leaves the counts of a run where CI sums them up. */
module.exports = class CountReporter {
  constructor(globalConfig) {
    this.project = globalConfig.rootDir;
  }

  onRunComplete(_, results) {
    // A file that does not even load has no failed test, but it is a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    writeCounts(this.project, 'counts.json', { passed: results.numPassedTests, failed });
  }
};
