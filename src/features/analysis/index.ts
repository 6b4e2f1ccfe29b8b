export { analysisStages } from '../../graph/analysis/run.ts';
export { OwnAnalyst } from './analyst.ts';
export { analyseNext, isUnderWay, startAnalysing } from './loop.ts';
export { type Answers, answerTo, askFor, readAnswers, requestAnalysis } from './requests.ts';
export { registerAnalysis } from './routes.ts';
export { type AnalysisStatus, readAnalysisStatus } from './status.ts';
export { readState as readAnalysisState } from './store.ts';
export { analysisTasks } from './tasks.ts';
