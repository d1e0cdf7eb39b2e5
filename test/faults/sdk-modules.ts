/**
 * Everything that is otherwise loaded when it is first needed, loaded at once: reading a module takes real time, and a run
 * in virtual time would not wait for it. Imported after the globals are in our hands.
 */
import './virtual-globals.ts';
import '../../packages/chandler/src/arm/testing.ts';
import '../../packages/chandler/src/api/kinds/index.ts';
import '@chandler/apiserver';
import '@chandler/apiserver/standins';
