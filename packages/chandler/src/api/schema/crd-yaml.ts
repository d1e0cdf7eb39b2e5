/**
 * The CustomResourceDefinition of a kind as YAML text. The text is a function of the definition alone: the same definition
 * gives the same bytes. It is not part of `crd.ts`, so that only callers that write YAML load the library for it.
 */
import { stringify } from 'yaml';
import { type KindDefinition, renderCrd } from './crd.ts';

/** The CRD as the text of its file. */
export function crdYaml(definition: KindDefinition): string {
  const body = stringify(renderCrd(definition), {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    schema: 'yaml-1.1',
  });
  return `${HEADER}${body}`;
}

// ---------------------------------------------------------------------------------------------------

const HEADER = '# Generated from packages/chandler/src/api/kinds by `npm run generate`. Do not edit.\n';
