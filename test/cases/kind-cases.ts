/**
 * The accept and reject rows of our own kinds (`test/cluster/crds/*.yaml`) as API cases, so that what a real server
 * says about each is recorded whole: status, message, causes, and the spec with its defaults.
 */
import { builtinCrds, KINDS } from '../../packages/chandler/src/api/kinds/index.ts';
import { type CrdCaseFile, collectionPath, objectOf, readCaseFiles } from '../cluster/crds/cases.ts';
import type { CaseFile, Step } from './api-case.ts';

const COMPARED = ['code', 'reason', 'message', 'details', 'spec', 'status'];

export function kindCaseFiles(): CaseFile[] {
  return readCaseFiles().map((rows) => ({
    topic: `kind-${rows.file.slice(0, -'.yaml'.length)}`,
    setup: installation(),
    cases: rows.cases.map((row, index) => ({ name: row.name, steps: stepsOf(rows, index) })),
  }));
}

// ---------------------------------------------------------------------------------------------------

function installation(): Step[] {
  return [
    ...builtinCrds().map((crd) => ({
      request: 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: crd,
    })),
    ...KINDS.flatMap((kind) =>
      kind.versions.map((version) => ({
        request: `GET /apis/${kind.group}/${version.name}/${kind.plural}`,
        until: { status: 200 },
      })),
    ),
  ];
}

function stepsOf(rows: CrdCaseFile, index: number): Step[] {
  const row = rows.cases[index]!;
  const name = `${rows.file.slice(0, -'.yaml'.length)}-${index}`;
  const object = objectOf(rows.base, row, name);
  const collection = collectionPath(object);
  if (row.then === undefined) {
    return [
      { request: `POST ${collection}?dryRun=All&fieldValidation=Strict`, body: object, only: COMPARED },
    ];
  }
  const target = row.subresource === undefined ? name : `${name}/${row.subresource}`;
  return [
    { request: `POST ${collection}`, body: object, quiet: true },
    {
      request: `PATCH ${collection}/${target}?fieldValidation=Strict`,
      contentType: 'application/merge-patch+json',
      body: row.then,
      only: COMPARED,
    },
    { request: `DELETE ${collection}/${name}`, quiet: true },
  ];
}
