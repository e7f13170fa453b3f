/*
 * endpoint - `prompt-arena endpoint test ID`: does a model server work?
 *
 * Layer    cmd.
 * Memory   frees all it makes.
 * Threads  main; the answer comes on llm's HTTP thread.
 */
#ifndef PA_ENDPOINT_H
#define PA_ENDPOINT_H

/*
 * `endpoint test ID [--setup ID] [--model NAME] [--conf PATH] [--state DIR]`:
 * one real question to that <endpoint> of arena.xml, and in words what works:
 * address, certificate, key, model, speed, thinking.  Returns an exit code:
 * 0 it works, 64 usage, 65 it answers uselessly, 75 not now, 78 somebody has
 * to change something.
 */
int cmd_endpoint(int argc, char **argv);

#endif /* PA_ENDPOINT_H */
