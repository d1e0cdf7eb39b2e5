export { DROP_PLACES, type DropPlace, injectFaults } from './fault-injection.ts';
export { renderRoles } from './render-roles.ts';
export { applyObject } from './scenarios/manifests.ts';
export { type Act, type Check, deployment } from './scenarios/story.ts';
