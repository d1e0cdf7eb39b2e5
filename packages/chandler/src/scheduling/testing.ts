export { anOffering, aPod, aPool, aType, bound, oneOf, pods, TYPES } from './cluster.fixture.ts';
