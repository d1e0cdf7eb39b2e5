export { aClaim, aNode, aPod, aPool, READY, TestModel } from './dashboard.fixture.ts';
export { aSnapshot } from './recording/recording.fixture.ts';
export { Snapshots } from './snapshot.ts';
