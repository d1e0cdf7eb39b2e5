/**
 * Case files: requests to an API server, in YAML, and the recorded answers of a real one.
 * `README.md` in this folder describes how to add one.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { CaseFile, Recording } from './api-case.ts';
import { kindCaseFiles } from './kind-cases.ts';

const FOLDER = import.meta.dirname;
const RECORDED = join(FOLDER, 'recorded');

/** The files of this folder, and those made from the rows of our own kinds. */
export function readCaseFiles(): CaseFile[] {
  return [...ownFiles(), ...kindCaseFiles()];
}

function ownFiles(): CaseFile[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => {
      const content = parse(readFileSync(join(FOLDER, name), 'utf8'), { merge: true }) as Partial<CaseFile>;
      return {
        topic: name.slice(0, -'.yaml'.length),
        setup: content.setup ?? [],
        cases: content.cases ?? [],
      };
    });
}

export function readRecording(topic: string): Recording {
  return (parse(readFileSync(recordingPath(topic), 'utf8')) ?? {}) as Recording;
}

export function writeRecording(topic: string, recording: Recording): void {
  const head = '# Answers of a real kube-apiserver, written by `npm run cases:record`.\n';
  writeFileSync(
    recordingPath(topic),
    head + stringify(recording, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
}

function recordingPath(topic: string): string {
  return join(RECORDED, `${topic}.yaml`);
}
