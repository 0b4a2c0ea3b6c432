const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Leaves the counts of a run in `test-results` of the project. The file is an output of the Nx target, so a run taken from
 * the cache has it too.
 *
 * @param {string} project folder of the project
 * @param {string} file name of the file: `counts.json`, or `counts.<runner>.json` where a project has several runners
 * @param {{ passed: number, failed: number }} counts
 */
module.exports.writeCounts = (project, file, { passed, failed }) => {
  const folder = join(project, 'test-results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify({ passed, failed }) + '\n');
};
