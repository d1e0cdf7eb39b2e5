import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCaseFiles, readRecording } from './case-file.ts';
import { embeddedServer } from './embedded-server.ts';
import { mustSucceed, playCase } from './player.ts';

const files = readCaseFiles();
const server = await embeddedServer();

afterAll(() => server.api.close());

for (const file of files) {
  describe(`API cases: ${file.topic}`, () => {
    const recorded = readRecording(file.topic);

    beforeAll(async () => {
      for (const step of file.setup) await mustSucceed(server, step);
    });

    for (const [index, testCase] of file.cases.entries()) {
      test(testCase.name, async () => {
        expect(await playCase(server, testCase, `${file.topic}-${index}`)).toEqual(recorded[testCase.name]);
      });
    }
  });
}

describe('the case files', () => {
  test('there are enough of them, and names are unique within a file', () => {
    expect(files.reduce((sum, file) => sum + file.cases.length, 0)).toBeGreaterThanOrEqual(300);
    for (const file of files) {
      expect(new Set(file.cases.map((testCase) => testCase.name)).size).toBe(file.cases.length);
    }
  });

  test('every case has its recorded answers', () => {
    for (const file of files) {
      const recorded = readRecording(file.topic);
      expect(Object.keys(recorded).sort()).toEqual(file.cases.map((testCase) => testCase.name).sort());
    }
  });
});
