export { readEventDisplays } from './displays.ts';
export { registerSchedules } from './routes.ts';
export { scheduleDueJobs, scheduleTasks } from './scheduler.ts';
export {
  Event,
  EventDisplay,
  type EventWish,
  eventMembers,
  toEventView,
} from './schema.ts';
export { createEvent } from './service.ts';
export { deleteEventsOf, type EventRow, listEventsOf } from './store.ts';
