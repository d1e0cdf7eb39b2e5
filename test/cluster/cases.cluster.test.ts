import { beforeAll, describe, expect, test } from 'vitest';
import { readCaseFiles, readRecording } from '../cases/case-file.ts';
import { mustSucceed, playCase } from '../cases/player.ts';
import { realServer } from '../cases/real-server.ts';

const server = realServer(process.env);

for (const file of readCaseFiles()) {
  describe(`API cases on a real kube-apiserver: ${file.topic}`, () => {
    const recorded = readRecording(file.topic);

    beforeAll(async () => {
      for (const step of file.setup) await mustSucceed(server, step);
    });

    for (const [index, testCase] of file.cases.entries()) {
      if (testCase.skipOnReal !== undefined) {
        console.log(`skipped on a real server: ${file.topic}: ${testCase.name}: ${testCase.skipOnReal}`);
        test.skip(testCase.name);
        continue;
      }
      test(testCase.name, async () => {
        expect(await playCase(server, testCase, `${file.topic}-${index}`)).toEqual(recorded[testCase.name]);
      });
    }
  });
}
