/** Rejects new objects of a kind whose definition is being deleted. */
import { forbidden } from '../../errors.ts';
import { DEFINITIONS } from '../definition-cleanup.ts';
import type { AdmissionPlugin } from './admission.ts';

export const DEFINITION_LIFECYCLE: AdmissionPlugin = {
  name: 'CustomResourceDefinition lifecycle',
  validate({ call, operation, object }) {
    const { resource } = call;
    if (operation !== 'CREATE' || resource.structure.name !== undefined) return;
    const definition = call.lookup(DEFINITIONS, '', `${resource.plural}.${resource.group}`);
    if (definition?.metadata.deletionTimestamp === undefined) return;
    const why = 'create not allowed while custom resource definition is terminating';
    throw forbidden(resource, object!.metadata.name ?? '', why);
  },
};
