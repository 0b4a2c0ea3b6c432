import { expect, test } from '@jest/globals';
import { configFile } from './config.ts';

test('arguments are quoted where the server would read them otherwise', () => {
  expect(
    configFile([
      ['port', '6379'],
      ['save', ''],
      ['user', 'a', '>p w', '~jobs:*', '+@all'],
      ['requirepass', '"\\\n#ö'],
    ]),
  ).toBe('port 6379\nsave ""\nuser a ">p w" ~jobs:* +@all\nrequirepass "\\"\\\\\\x0a#\\xc3\\xb6"\n');
});
