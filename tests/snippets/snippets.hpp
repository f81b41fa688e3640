// Each page's code; whether it gives what it should.
#pragma once

bool readme();
bool embedding();
bool embedding_jobs();
