export { Server } from './server.ts';
