#include "cli/commands.h"

int main(int argc, char** argv) { return dra_health::Main(argc, argv); }
