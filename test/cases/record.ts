/**
 * `npm run cases:record [-- topic …]`: asks a real kube-apiserver every case and writes down its answers.
 * Cases that a real server cannot be asked keep what is written by hand.
 */
import { findBinaries } from '../cluster/control-plane/binaries.ts';
import { launchControlPlane } from '../cluster/control-plane/launch.ts';
import type { Answer, CaseFile, Recording } from './api-case.ts';
import { readCaseFiles, readRecording, writeRecording } from './case-file.ts';
import { mustSucceed, playCase, type Server } from './player.ts';
import { realServer } from './real-server.ts';

const topics = process.argv.slice(2);
const files = readCaseFiles().filter((file) => topics.length === 0 || topics.includes(file.topic));
const binaries = await findBinaries(console.log);
if ('missing' in binaries) {
  console.error(`cases:record needs a real kube-apiserver: ${binaries.missing}`);
  process.exit(1);
}
const plane = await launchControlPlane(binaries.folder, { controllers: 'collectors', scheduler: false });
try {
  const server = realServer({
    CHANDLER_TEST_SERVER: plane.url,
    CHANDLER_TEST_TOKEN: plane.token,
    CHANDLER_TEST_CA: plane.caFile,
  });
  for (const file of files) await record(server, file);
} finally {
  await plane.stop();
}
process.exit(0);

async function record(server: Server, file: CaseFile): Promise<void> {
  for (const step of file.setup) await mustSucceed(server, step);
  const recording: Record<string, readonly Answer[]> = {};
  for (const [index, testCase] of file.cases.entries()) {
    const byHand = testCase.skipOnReal !== undefined;
    recording[testCase.name] = byHand
      ? (earlier(file.topic)[testCase.name] ?? [])
      : await playCase(server, testCase, `${file.topic}-${index}`);
  }
  writeRecording(file.topic, recording);
  console.log(`${file.topic}: ${file.cases.length} cases recorded`);
}

function earlier(topic: string): Recording {
  try {
    return readRecording(topic);
  } catch {
    return {};
  }
}
